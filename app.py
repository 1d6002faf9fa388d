"""`streamlit run app.py`: the page of gear_app/ui/main.py, served behind the door of
gear_app/ui/middleware.py.

Streamlit looks for the call of `App` in the file that it runs. So this file stands twice: at the
top of the project, and in gear_app/ui for `gear-app serve`, which finds it from any folder.
"""

from streamlit.starlette import App

from gear_app.ui.server import PAGE, lifespan, middleware

app = App(PAGE, middleware=middleware(), lifespan=lifespan)
