git init --quiet --bare $GIT/you/skills.git
