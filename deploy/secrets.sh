#!/bin/sh
# Makes the password of the database and its address, in files that only you can read. An existing password stays.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
[ -s secrets/database_password ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > secrets/database_password
printf 'postgres://loadout:%s@database:5432/loadout' "$(cat secrets/database_password)" > secrets/database_address
# The server in its container must read the address: it runs as you or, if you are root, as user 1000.
if [ "$(id -u)" = 0 ]; then chown 1000 secrets secrets/database_address
elif ! grep -qs SERVER_USER .env; then echo "SERVER_USER=$(id -u)" >> .env
fi
