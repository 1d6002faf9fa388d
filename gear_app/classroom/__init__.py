"""A class: learners answer a lesson's questions on their phones, the teacher sees how many chose
what; and followers, who see the step that a presenter is at.

`session` holds a class as a value and the rules that change it, `phone` what a learner may see of
it and a follower of a slide, `open_classes` the classes and presentations
that are open now, in the memory of the web process and nowhere else.
"""
