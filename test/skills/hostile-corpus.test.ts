import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HOSTILE_CORPUS, type HostileSkill } from './hostile-corpus.ts'
import { commitAll, git, loadout, makeWorld, write } from './world.ts'

const MOST = 0.05

test('at most one in twenty hostile skills reaches an agent without a question', { timeout: 240_000 }, async () => {
  const world = makeWorld({})
  const source = join(world.home, 'source')
  for (const { id, files } of HOSTILE_CORPUS) write(join(source, 'skills', id), files)
  git({ ...world, library: source }, 'init', '--quiet', '--template=')
  commitAll({ ...world, library: source }, 'first')
  await loadout(world, ['import', `file://${source}`, '--all', '--targets', 'claude'])
  await loadout(world, ['equip', '--all'])

  // A text whose hostile keys were left out is harmless.
  const isLetIn = ({ id, files }: HostileSkill) => {
    expect(existsSync(join(world.library, 'skills', id)), id).toBe(true)
    const path = join(world.home, '.claude/skills', id, 'SKILL.md')
    if (!existsSync(path)) return false
    const keys = keysOf(String(files['SKILL.md']))
    return keys.length === 0 || keys.some((key) => keysOf(readFileSync(path, 'utf8')).includes(key))
  }
  const unasked = HOSTILE_CORPUS.filter(isLetIn).map((skill) => `${skill.class}: ${skill.id}`)
  expect(unasked.length / HOSTILE_CORPUS.length, unasked.join('\n')).toBeLessThanOrEqual(MOST)
})

/** The keys at the start of a document, without the two that every skill has. */
function keysOf(document: string): string[] {
  const [, head = ''] = document.split(/^---$/m)
  const keys = [...head.matchAll(/^"?([\w-]+)"?:/gm)].map(([, key = '']) => key)
  return keys.filter((key) => key !== 'name' && key !== 'description')
}
