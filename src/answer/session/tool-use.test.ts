import { describe, expect, it } from 'vitest'
import { filesRead, skillOfFile } from './tool-use.ts'

describe('files that a command shows', () => {
  const rows: [command: unknown, files: string[]][] = [
    ['cat README.md', ['README.md']],
    ["sed -n '1,20p' docs/a.md", ['1,20p', 'docs/a.md']],
    ['cd docs && cat "with blank.md" | head -5', ['with blank.md']],
    [['bash', '-lc', 'cat a.md'], ['a.md']],
    ['/bin/cat -- a.md', ['a.md']],
    ['grep cat README.md', []],
    ['echo cat > a.md', []],
    ['cat $FILE', []],
    [undefined, []],
    [7, []],
  ]
  it.each(rows)('%j', (command, files) => {
    expect(filesRead(command)).toEqual(files)
  })
})

describe('the skill of a file', () => {
  const rows: [agent: string, file: string, name: string | undefined][] = [
    ['claude', '/home/a/.claude/skills/notes/SKILL.md', 'notes'],
    ['claude', '/home/user/project/.claude/skills/notes/SKILL.md', 'notes'],
    ['claude', '/home/a/.codex/skills/notes/SKILL.md', undefined],
    ['codex', '/home/a/.agents/skills/notes/SKILL.md', 'notes'],
    ['codex', '/etc/codex/skills/notes/SKILL.md', 'notes'],
    ['codex', '/moved/skills/notes/SKILL.md', 'notes'],
    ['claude', '/home/a/library/skills/notes/SKILL.md', undefined],
    ['claude', '/home/a/.claude/skills/notes/README.md', undefined],
  ]
  it.each(rows)('%s %s', (agent, file, name) => {
    expect(skillOfFile(agent, file, { CODEX_HOME: '/moved' })).toBe(name)
  })
})
