"""Finding a way and walking it.

A goal (`goals`) and what the body can do (`context`) go into a search (`plan`, `search`), which sees the
terrain as `ground` surveys it and knows the moves of `moves` and `alter`. What comes out is a route
(`route`), and a walker (`executor`) drives the body along it (`drive`, `foresee`, `works`). `numen.body.walk`
puts it all together.
"""
