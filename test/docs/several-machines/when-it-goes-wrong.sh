mv $GIT/you $GIT/away
