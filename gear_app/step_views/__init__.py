"""Every step of a run told once, as plain values: a module for each family of events, and in it a
`StepView` for each kind of step. What draws them knows no event: Explore and lessons, shared pages,
slides for a hall, prints.
"""
