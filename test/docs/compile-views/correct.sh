perl -pi -e 's/, "documents\/ops\/carriers.rst#L70"//' answer.json
