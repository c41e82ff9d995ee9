"""What people may tell a companion beside plain words: `mclawd …` in the game, `/…` at the console.

words     which line is a command
table     the commands; Caller, who gives one
things    sessions, assets and the history among them
settings  what `config` shows and changes
texts     the answers
desk      Desk: takes each line of each person to where it belongs
"""
