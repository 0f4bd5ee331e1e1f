import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findFiles } from '../../src/machine/project-files.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, makeProject } from '../cli/run.ts'
import { evaluateApart } from './apart.ts'

const pathsOf = (root: string, ...patterns: string[]) => findFiles(root, patterns).files.map(({ path }) => path)
const codesOf = (root: string, ...patterns: string[]) =>
  findFiles(root, patterns).findings.map(({ code, subject }) => `${code} ${subject}`)

describe('findFiles', () => {
  it('gives files in the order of the patterns, then of their paths, each once', () => {
    const root = makeProject({ 'specs/b.md': '', 'specs/a.md': '', 'specs/B.md': '', 'z.md': '', 'docs/x/y.md': '' })
    expect(findFiles(root, ['z.md', 'specs/*.md', '**/*.md'])).toEqual({
      files: [
        { path: 'z.md', pattern: 'z.md' },
        { path: 'specs/B.md', pattern: 'specs/*.md' },
        { path: 'specs/a.md', pattern: 'specs/*.md' },
        { path: 'specs/b.md', pattern: 'specs/*.md' },
        { path: 'docs/x/y.md', pattern: '**/*.md' },
      ],
      findings: [],
    })
  })

  it('enters hidden folders and those of dependencies only when they are named', () => {
    const files = ['.git/a.md', '.hidden/a.md', 'node_modules/x/a.md', 'dist/a.md', 'src/node_modules/a.md', 'src/a.md']
    const root = makeProject(Object.fromEntries(files.map((path) => [path, ''])))
    expect(pathsOf(root, '**/*.md')).toEqual(['src/a.md'])
    expect(pathsOf(root, '*/*.md', '*/*/*.md')).toEqual(['src/a.md'])
    expect(pathsOf(root, 'node_modules/*/*.md', 'dist/*.md', '.hidden/*.md', '*/node_modules/*.md')).toEqual([
      'node_modules/x/a.md',
      'dist/a.md',
      '.hidden/a.md',
      'src/node_modules/a.md',
    ])
  })

  it('takes a path that looks like a pattern', () => {
    const root = makeProject({ 'app/[id]/a(1).md': '', 'app/i/a1.md': '' })
    expect(pathsOf(root, 'app/[id]/a(1).md')).toEqual(['app/[id]/a(1).md', 'app/i/a1.md'])
  })

  it('finds nothing in what is not there', () => {
    const root = makeProject({ 'a.md': '', folder: aFolder })
    expect(findFiles(root, ['b.md', 'x/*.md', 'a.md/*', 'folder', 'folder/'])).toEqual({ files: [], findings: [] })
    expect(findFiles(join(root, 'absent'), ['**/*.md'])).toEqual({ files: [], findings: [] })
  })

  it('refuses patterns that leave the project', () => {
    const root = makeProject({ 'in/a.md': '' })
    const patterns = ['../*.md', '/etc/*', 'in/../../*', 'in/../in/*.md', '~/x']
    expect(pathsOf(root, ...patterns, 'in/*.md')).toEqual(['in/a.md'])
    expect(codesOf(root, ...patterns)).toEqual(patterns.map((pattern) => `PATH_ESCAPE ${pattern}`))
  })

  it('refuses linked folders that leave the project, and enters others where they are not reached by **', () => {
    const outside = makeProject({ 'secret.md': '' })
    const root = makeProject({
      'real/a.md': '',
      'node_modules/b.md': '',
      out: aLinkTo(outside),
      linked: aLinkTo('real'),
      modules: aLinkTo('node_modules'),
    })
    expect(pathsOf(root, 'out/*.md', '*/*.md')).toEqual(['linked/a.md', 'real/a.md'])
    expect(codesOf(root, 'out/*.md', '*/*.md')).toEqual(['PATH_ESCAPE out'])
    expect(pathsOf(root, '**/*.md')).toEqual(['real/a.md'])
    expect(pathsOf(root, 'linked/*.md')).toEqual(['linked/a.md'])
  })

  it('ends where links lead in circles', () => {
    const root = makeProject({ 'a/b.md': '', 'a/up': aLinkTo('..'), self: aLinkToItself })
    expect(pathsOf(root, '**/*.md')).toEqual(['a/b.md'])
    expect(pathsOf(root, '*/*/*/*.md')).toEqual(['a/up/a/b.md'])
    expect(codesOf(root, '**/*.md')).toEqual([])
    expect(codesOf(root, 'self/*')).toEqual(['discovery.skipped self'])
  })

  it('names pipes and links to files, for the reader to judge', () => {
    const root = makeProject({ 'a.md': aPipe, 'b.md': aLinkTo('/etc/hostname'), 'c.md': aLinkTo('absent') })
    expect(pathsOf(root, '*.md')).toEqual(['a.md', 'b.md', 'c.md'])
  })

  it('reports names that are not UTF-8, and takes those that only look like it', () => {
    const root = makeProject({ 'docs/a.md': '', 'docs/\ufffd.md': '' })
    writeFileSync(Buffer.concat([Buffer.from(`${root}/docs/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]), '')
    mkdirSync(Buffer.concat([Buffer.from(`${root}/docs/`), Buffer.from([0xe9])]))
    expect(pathsOf(root, 'docs/**/*.md')).toEqual(['docs/a.md', 'docs/\ufffd.md'])
    expect(codesOf(root, 'docs/**/*.md')).toEqual(['discovery.skipped docs'])
    expect(codesOf(root, 'docs/a*.md')).toEqual([])
  })

  it('stops at its limits, and says so', () => {
    const root = makeProject({ 'c/4.md': '', 'b/3.md': '', 'a/2.md': '', 'a/1.md': '' })
    const files = findFiles(root, ['**/*.md'], { mostFiles: 2 })
    expect(files.files.map(({ path }) => path)).toEqual(['a/1.md', 'a/2.md'])
    expect(files.findings).toMatchObject([{ code: 'discovery.skipped', severity: 'warning' }])
    const folders = findFiles(root, ['**/*.md'], { mostFolders: 2 })
    expect(folders.files.map(({ path }) => path)).toEqual(['a/1.md', 'a/2.md'])
    expect(folders.findings).toMatchObject([{ code: 'discovery.skipped', severity: 'warning' }])
    expect(findFiles(root, ['**/*.md'], { mostFiles: 4, mostFolders: 4 }).findings).toEqual([])
  })

  it('passes over what is excluded', () => {
    const root = makeProject({ 'a.md': '', 'b.md': '' })
    expect(findFiles(root, ['*.md', 'b.md'], { exclude: new Set(['b.md']) }).files).toEqual([
      { path: 'a.md', pattern: '*.md' },
    ])
  })

  it('looks only where a pattern can match', () => {
    const root = makeProject({ 'specs/a.md': '', 'src/a.md': '', 'src/specs/a.md': '' })
    // Looking into it would be reported.
    chmodSync(join(root, 'src'), 0)
    const find = (...patterns: string[]) =>
      evaluateApart(['machine/project-files.ts'], `findFiles(root, ${JSON.stringify(patterns)})`, root)
    const files = [{ path: 'specs/a.md', pattern: 'specs/*.md' }]
    expect(find('specs/*.md', '*.md', 's*/*.txt/*.md')).toMatchObject({ files, findings: [{ subject: 'src' }] })
    expect(find('specs/*.md', '*.md')).toEqual({ files, findings: [] })
  })

  it('reports folders that cannot be read', () => {
    const root = makeProject({ 'docs/a.md': '', 'docs/closed/b.md': '' })
    chmodSync(join(root, 'docs/closed'), 0)
    expect(evaluateApart(['machine/project-files.ts'], 'findFiles(root, ["docs/**/*.md"])', root)).toEqual({
      files: [{ path: 'docs/a.md', pattern: 'docs/**/*.md' }],
      findings: [expect.objectContaining({ code: 'discovery.skipped', subject: 'docs/closed' })],
    })
    chmodSync(join(root, 'docs/closed'), 0o755)
  })
})
