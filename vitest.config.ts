import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// These take longest: started last, one of them would keep a single worker busy after all others have ended.
const LONGEST = [
  'skills/kill',
  'docs',
  'packs/leak',
  'team/database',
  'web/screens',
  'context/secrets',
  'cli/bad-input',
  'web/actions',
  'skills/concurrency',
  'skills/edits',
  'skills/update',
  'context/adapters',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.endsWith(`/test/${name}.test.ts`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

// Counts the steps of code that nothing has compiled before.
const COUNTED = 'test/linear.test.ts'

export default defineConfig({
  test: {
    // Most tests wait for programs that they have started: with one worker per core, half of the time is idle.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/clean-up.ts'],
    projects: [
      // No test changes what another file of the same worker loads: what they share is loaded once.
      { extends: true, test: { name: 'rules', include: ['src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'program',
          include: ['test/**/*.test.ts'],
          exclude: [COUNTED],
          isolate: false,
          globalSetup: ['test/run-folder.ts', 'test/team/postgres.ts'],
        },
      },
      { extends: true, test: { name: 'steps', include: [COUNTED] } },
    ],
    // Limits for what never ends: on a busy machine everything may take ten times as long.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
