mkdir -p ~/tracker/docs ~/tracker/state ~/tracker/tools
cd ~/tracker
git init --quiet
cat >AGENTS.md <<'END'
# Working on the tracker

Ask before anything that cannot be undone. `npm test` must pass before a commit.
END
cat >README.md <<'END'
# Tracker

Follows parcels, and tells people where they are.
END
cat >docs/release-steps.md <<'END'
# How a release is cut

Tag `main`. The pipeline builds, verifies, publishes and announces.
A step that fails is repeated alone.
END
cat >docs/test-rules.md <<'END'
# Tests

Rules with tables, flows with real folders.
END
