git config --global user.email ada@example.com 2>/dev/null || true
