git init --quiet ~/shop
