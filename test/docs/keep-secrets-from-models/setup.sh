mkdir -p ~/tracker/docs
cd ~/tracker
git init --quiet
printf '# How a release is cut\n\nTag `main`. The pipeline builds, verifies and publishes.\n' >docs/release-steps.md
printf 'The pipeline publishes with Authorization: Bearer %s%s.\n' 8f14e45fceea167a 5a36dedd4bea2543 >> docs/release-steps.md
