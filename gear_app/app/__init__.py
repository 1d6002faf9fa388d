"""The web application. Only this package and app.py know Streamlit."""
