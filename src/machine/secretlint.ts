// One module, so that the build puts the packages into one file: the profiler that it switches off must be the one
// that the scanner uses.
export { lintSource } from '@secretlint/core'
export { secretLintProfiler } from '@secretlint/profiler'
export { rules } from '@secretlint/secretlint-rule-preset-recommend'
