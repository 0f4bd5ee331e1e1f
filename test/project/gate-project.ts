import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../cli/run.ts'

export function write(root: string, path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const ME = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false', '-c', 'gc.auto=0']
const DATE = '2026-01-01T00:00:00Z'

/** The same commits in every project. */
export function git(root: string, ...words: string[]): void {
  const env = { PATH: process.env.PATH, HOME: root, GIT_COMMITTER_DATE: DATE, GIT_AUTHOR_DATE: DATE }
  execFileSync('git', ['-C', root, ...ME, ...words], { env, stdio: 'ignore' })
}

/** A small repository with two branches. */
export function makeGateProject(): string {
  const root = join(makeFolder(), 'project')
  write(root, 'src/gate.ts', 'export function openGate(origins) {\n  return origins\n}\n')
  write(root, 'src/door.ts', 'export const door = 1\n')
  write(root, 'docs/gate.md', '# The gate\n\nA list of origins.\n')
  write(root, '.gitignore', 'out/\n*.log\n')
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'Let the gate know its origins')
  git(root, 'branch', 'other')
  return root
}
