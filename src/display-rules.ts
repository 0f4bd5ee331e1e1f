// Closed lists and display rules that faces share with the use cases. Not in loadout.ts: a plan does not wait for them.
export { HOOK_EVENTS, HOOK_HOSTS } from './agents/rules/hook-hosts.ts'
export { FATES } from './agents/rules/sight/visibility.ts'
export { bundleText, SOURCE_CLASSES } from './context/rules/bundle.ts'
export { INSTRUCTIONS as TEACHING_INSTRUCTIONS } from './kit/rules/teach-request.ts'
export { PROFILES, RUNTIME_MODES, TIERS } from './packs/rules/pack.ts'
export { allGaps } from './packs/rules/resolve/gaps.ts'
export { isWaiting, newWrappers, toResolverOutput } from './packs/rules/resolve/pack-context.ts'
export { pointerText } from './project/rules/file-pointer.ts'
