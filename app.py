"""`streamlit run app.py`: the application of gear_app/app/app.py.

Streamlit looks for the call of `App` in the file that it runs, so it stands here once more.
"""

from streamlit.starlette import App

from gear_app.app.app import PAGE, lifespan, middleware

app = App(PAGE, middleware=middleware(), lifespan=lifespan)
