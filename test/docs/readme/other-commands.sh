loadout update changelog
loadout remove changelog --yes
loadout import
loadout new release-notes --description "Drafts release notes. Use when a release is cut."
loadout list
loadout doctor
loadout mcp </dev/null
loadout mcp --http --port 0 >/dev/null 2>~/said-1 & until grep -q http: ~/said-1; do kill -0 $! || exit 1; sleep 0.1; done; kill $!
loadout web --port 0 >/dev/null 2>~/said-2 & until grep -q http: ~/said-2; do kill -0 $! || exit 1; sleep 0.1; done; kill $!
cp docs/release.md CLAUDE.md; loadout rules migrate CLAUDE.md || test $? = 2
loadout context "a refund fails" --tokens 4000
loadout packs new --from docs
loadout help plan
loadout rules build
