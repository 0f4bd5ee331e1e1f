import type { RecalledConversation } from '../../../../loadout.ts'
import { go, hrefOf } from '../../address.ts'
import { propose } from '../../parts/change.tsx'
import { forbid, tune } from '../../proposals.tsx'

type Kind = RecalledConversation['turns'][number]['steps'][number]['kind']

/** Always, never, edit. A rule is first tried on the last kept tasks. */
export function Verbs({ kind, entry, talk }: { kind: Kind; entry: string; talk: RecalledConversation }) {
  const project = talk.cwd ?? talk.project
  return (
    <span class="verbs">
      {kind === 'payload' && project !== undefined && (
        <button type="button" class="verb" onClick={() => propose(tune(project, entry, 'core'))}>
          always
        </button>
      )}
      {kind === 'payload' && project !== undefined && (
        <button type="button" class="verb" onClick={() => propose(tune(project, entry, 'manual'))}>
          never
        </button>
      )}
      {kind === 'skill' && (
        <button type="button" class="verb" onClick={() => propose(forbid({ skills: [entry] }))}>
          never
        </button>
      )}
      <button
        type="button"
        class="verb"
        onClick={() =>
          go(
            kind === 'skill'
              ? hrefOf('skills', { skill: entry })
              : hrefOf('knowledge', kind === 'pack' ? { pack: entry } : { rule: entry }),
          )
        }
      >
        {kind === 'skill' ? 'edit' : 'open'}
      </button>
    </span>
  )
}
