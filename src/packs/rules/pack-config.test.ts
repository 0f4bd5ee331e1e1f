import { describe, expect, it } from 'vitest'
import { NO_PACK_CONFIG, type PackConfig, parsePackConfig } from './pack-config.ts'

describe('parsePackConfig', () => {
  it('has defaults for everything, and leaves what belongs to others alone', () => {
    expect(parsePackConfig({ repo_path: 'x', targets: { y: 1 } }, 'config.json')).toEqual({
      organization: [],
      maxDepth: 4,
      maxDirectories: 2000,
      followLinks: false,
      builtIn: true,
      approvalFor: ['workspace'],
      explicitPathIsApproval: false,
    })
  })

  const settings: [packs: Record<string, unknown>, config: Partial<PackConfig>][] = [
    [
      { maxDepth: 0, maxDirectories: 1 },
      { maxDepth: 0, maxDirectories: 1 },
    ],
    [
      { followLinks: true, builtIn: false },
      { followLinks: true, builtIn: false },
    ],
    [{ approvalFor: [] }, { approvalFor: [] }],
    [{ approvalFor: ['user', 'organization'] }, { approvalFor: ['user', 'organization'] }],
    [{ explicitPathIsApproval: true }, { explicitPathIsApproval: true }],
    [{ checker: 'codex' }, { checker: 'codex' }],
  ]
  it.each(settings)('packs %j', (packs, config) => {
    expect(parsePackConfig({ packs }, '')).toEqual({ ...NO_PACK_CONFIG, ...config })
  })

  const git = (url: string, branch?: string) => ({ kind: 'git', url, branch })
  const sources: [source: unknown, read: unknown][] = [
    ['~/packs', { kind: 'folder', folder: '~/packs' }],
    ['C:packs', { kind: 'folder', folder: 'C:packs' }],
    [{ folder: 'https://x' }, { kind: 'folder', folder: 'https://x' }],
    ['https://host/packs', git('https://host/packs')],
    ['git@host:team/packs', git('git@host:team/packs')],
    ['/srv/packs.git', git('/srv/packs.git')],
    [{ git: '/srv/packs', branch: 'v1/main' }, git('/srv/packs', 'v1/main')],
    [{ package: '@team/packs' }, { kind: 'package', name: '@team/packs' }],
  ]
  it.each(sources)('source %j', (source, read) => {
    expect(parsePackConfig({ organization: { packs: [source] } }, '').organization).toEqual([read])
  })

  const mistakes: [json: unknown, message: RegExp][] = [
    [[], /the file must be a JSON object/],
    [{ packs: [] }, /"packs" must be a JSON object/],
    [{ organization: { packs: 'x' } }, /"organization.packs" must be a list/],
    [{ organization: { packs: [''] } }, /"organization.packs\[0\]" must be not empty/],
    [{ organization: { packs: [{}] } }, /needs one of "folder" and "git" and "package"/],
    [{ organization: { packs: [{ folder: 'a', git: 'b' }] } }, /needs only one of/],
    [{ organization: { packs: [{ git: 'a', brunch: 'b' }] } }, /did you mean "organization.packs\[0\].branch"\?/],
    [{ organization: { packs: [{ git: 'a', branch: '--upload-pack=x' }] } }, /must be the name of a branch/],
    [{ organization: { packs: [{ git: 'a', branch: 'a..b' }] } }, /must be the name of a branch/],
    [{ organization: { packs: [{ package: '../x' }] } }, /must be the name of a package/],
    [{ organization: { packs: [{ package: 'a/../../x' }] } }, /must be the name of a package/],
    [{ packs: { checker: 1 } }, /"packs.checker" must be a text/],
    [{ packs: { maxDepth: -1 } }, /must be at least 0/],
    [{ packs: { maxDepth: 1.5 } }, /whole number/],
    [{ packs: { maxDirectories: '10' } }, /must be a number/],
    [{ packs: { followLinks: 'yes' } }, /must be true or false/],
    [{ packs: { approvalFor: ['everyone'] } }, /must be one of explicit, workspace/],
  ]
  it.each(mistakes)('refuses %j', (json, message) => {
    expect(() => parsePackConfig(json, 'config.json')).toThrowError(
      expect.objectContaining({ code: 'BAD_SETTINGS', message: expect.stringMatching(message) }),
    )
  })
})
