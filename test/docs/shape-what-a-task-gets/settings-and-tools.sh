cat >loadout.json <<'END'
{
  "$schema": "./node_modules/loadout/schema/loadout.schema.json",
  "controlPlane": [
    { "path": "AGENTS.md", "required": true },
    { "path": "state/release.json", "summary": ["status", "blockers"] },
    { "glob": "docs/decisions/*.md", "take": 2, "order": "latest" }
  ],
  "intents": {
    "release": { "keywords": ["release", "publish"], "include": ["docs/release-*.md"] },
    "default": { "include": ["docs/*.md"] }
  },
  "tactical": { "path": ".loadout/notes.jsonl" },
  "adapters": [{ "id": "tickets", "command": ["node", "tools/tickets.mjs"], "maxItems": 5 }],
  "budget": { "maxFiles": 10, "maxCharsPerFile": 2000 }
}
END
printf '%s\n' '{ "status": "blocked", "blockers": ["publish has failed"] }' > state/release.json
cat >tools/tickets.mjs <<'END'
const items = [{ id: "T-311", state: "open", priority: "high", title: "Release stops at publish", tags: ["release"] }]
console.log(JSON.stringify({ adapter_id: "tickets", fetched_at: "2026-03-03T08:30:00Z", items }))
END
