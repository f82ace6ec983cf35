"""Writes mail.csv: made-up messages, some of them wanted, as a spam filter learns from.

    python3 examples/data/make_mail.py > examples/data/mail.csv
"""
import csv
import random
import sys

WANTED = {
    "open": ["Hi {name}", "Dear {name}", "Hello", "{name}, sorry for the late answer", "Good morning"],
    "what": ["the {thing} for {day} is in the folder", "can we move the {thing} to {day}?",
             "I looked at the {thing}, and it seems fine", "thanks for the {thing}",
             "who brings the {thing} on {day}?", "the {thing} is late, it comes on {day}"],
    "close": ["See you on {day}.", "Best, {name}", "Thanks!", "Let me know.", "Yours, {name}"],
}
UNWANTED = {
    "open": ["WINNER!", "Dear customer", "URGENT", "Congratulations {name}", "Last chance"],
    "what": ["claim your {prize} now", "you have won a {prize}, call {number}",
             "a free {prize} is waiting, reply {number}", "cheap {prize} only until {day}",
             "your account is blocked, confirm it at {number}"],
    "close": ["Offer ends {day}.", "Text STOP to {number}.", "100% free!", "Click here.", "Act now!"],
}
WORDS = {
    "name": ["Ada", "Carl", "Emmy", "Kurt", "Sofja", "Pierre"],
    "thing": ["report", "meeting", "cake", "budget", "talk", "train ticket", "data set"],
    "day": ["Monday", "Tuesday", "Friday", "Sunday"],
    "prize": ["prize", "cash bonus", "holiday", "phone", "loan", "watch"],
    "number": ["08001", "84128", "62468", "0906"],
}


def message(r, parts):
    text = ". ".join(r.choice(parts[part]) for part in ("open", "what", "close"))
    return text.format(**{kind: r.choice(words) for kind, words in WORDS.items()})


def main():
    r = random.Random(1971)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["label", "body"])
    for _ in range(240):
        wanted = r.random() < 0.7
        parts = WANTED if wanted != (r.random() < 0.03) else UNWANTED  # a few are misplaced
        out.writerow(["ham" if wanted else "spam", message(r, parts)])


if __name__ == "__main__":
    main()
