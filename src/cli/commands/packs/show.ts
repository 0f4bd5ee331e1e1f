import type { PackView } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { PACK_ARGUMENT, WORKSPACE_FLAG } from '../../pack-flags.ts'
import { alignRows, lines, printableLine, wrap } from '../../screen.ts'

export const packsShow = defineCommand({
  name: 'packs show',
  summary: 'what a knowledge pack says of itself, and what opens it',
  args: [PACK_ARGUMENT],
  flags: WORKSPACE_FLAG,
  run: ({ args, flags }, loadout) => loadout.showPack({ pack: args.pack ?? '', project: flags.project }),
  print: (pack: PackView, screen) =>
    lines(
      screen.strong(printableLine(pack.name)),
      wrap(pack.description, 2),
      '',
      alignRows(
        rows(pack).flatMap(([what, value]) => (value === undefined || value === '' ? [] : [[`  ${what}`, value]])),
      ),
      pack.diagnostics.length > 0 && '',
      pack.diagnostics.flatMap(({ severity, code, message }) => wrap(`${severity}: ${message} [${code}]`, 2)),
      '',
      screen.faint(`Next: ${printableLine(pack.next)}`),
    ),
})

function rows(pack: PackView): [what: string, value: string | undefined][] {
  const { producedBy, files } = pack
  const producer = producedBy && [producedBy.kind, producedBy.name, producedBy.version].filter(Boolean).join(' ')
  return [
    ['status', pack.status],
    [
      'trust',
      `${pack.effectiveTrust}${pack.tier === undefined ? '' : ` up to ${pack.tier}`}; it calls itself ${pack.trust}`,
    ],
    ['found in', pack.scope],
    ['folder', pack.packRoot],
    ['type', pack.type],
    ['profile', pack.profile],
    ['mode', pack.runtime_mode],
    ['grounding', pack.grounding],
    ['version', pack.version],
    ['updated', pack.updated],
    ['language', pack.language],
    ['license', pack.license],
    ['maintainers', pack.maintainers.join(', ')],
    ['ownership', pack.ownership],
    ['compatibility', pack.compatibility],
    ['document', pack.primaryDocument],
    ['ontology', pack.primaryOntology],
    ['answers', pack.primaryAnswers],
    ['made by', producer],
    ['files', files?.map(({ layer, count }) => `${layer} ${count}`).join(', ')],
    ['keeps out', pack.collision?.winner.path === pack.packRoot ? others(pack.collision.shadowed) : undefined],
    [
      'kept out by',
      pack.collision && pack.collision.winner.path !== pack.packRoot ? pack.collision.winner.path : undefined,
    ],
  ]
}

function others(shadowed: NonNullable<PackView['collision']>['shadowed']): string {
  return shadowed.map(({ scope }) => scope).join(', ')
}
