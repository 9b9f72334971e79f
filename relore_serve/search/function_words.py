"""English words that hold a sentence together and name nothing.

They are indexed and searched like all others. A question that holds other words does not require them, that
is all: `what is it` still asks for all three, `any` still finds `any()`.
"""

_WORDS = """
    a about also am an and any are as at be because been being both but by can cannot could did do does doing
    done for from had has have having he her here hers him his how i if in into is it its itself just me might
    my myself of off on or our ours out own she should so some such than that the their theirs them then there
    these they this those through to too us very was we were what when where whether which while who whom
    whose why will with would you your yours
    aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's here's how's i'd i'll i'm
    i've isn't it'd it'll it's let's she'd she'll she's shouldn't that's there's they'd they'll they're
    they've wasn't we'd we'll we're we've weren't what's where's who's why's won't wouldn't you'd you'll
    you're you've
"""

FUNCTION_WORDS = frozenset(_WORDS.split())
