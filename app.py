"""`streamlit run app.py`: page configuration and navigation, nothing else."""

from gear_app.ui.main import main

main()
