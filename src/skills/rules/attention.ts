import { shellWord } from '../../text/printable.ts'
import type { Finding } from '../../text/trouble.ts'
import { type PlacementStatus, placeOf } from './skill.ts'

function scopeFlag({ placement }: PlacementStatus): string {
  return placement.root.scope === 'project' ? ' --project .' : ''
}

/** Why Loadout does not change an existing folder. */
export function inTheWay(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  if (found.state === 'unmanaged') {
    const message = `${place} was not installed by loadout${found.reason ? ` (${found.reason})` : ''}; it was left as it is`
    const where = scopeFlag(found)
    const replace = `loadout equip ${name}${where} --replace installs the library's version`
    const hint =
      found.placement.kind === 'file'
        ? `remove it, or move it out of this folder: mv ${shellWord(place)} ~/`
        : found.placement.kind === 'link'
          ? `${replace}; what the link leads to stays`
          : `loadout diff ${name}${where} shows how it differs; ${replace} and keeps a copy elsewhere`
    return { severity: 'error', code: 'UNMANAGED_FOLDER', message, subject: name, hint }
  }
  return needsAction(name, found)
}

/** What the user must decide about an install. */
export function needsAction(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  const where = scopeFlag(found)
  const edited = found.mayBeEdited ? '; it was edited by hand, and stays as it is' : ''
  switch (found.state) {
    case 'edited': {
      const message = `${place} was edited by hand; it stays as it is`
      const hint = `loadout adopt ${name}${where} brings the edit into the library; loadout diff ${name}${where} shows it`
      return { severity: 'warning', code: 'EDITED_INSTALL', message, subject: name, hint }
    }
    case 'broken': {
      const message = `${place} cannot be judged: ${found.reason}`
      const hint = 'loadout doctor --fix repairs the marker where the content allows it; otherwise move the folder away'
      return { severity: 'error', code: 'BROKEN_MARKER', message, subject: name, hint }
    }
    case 'unsupported': {
      const message = `${place} is installed, but the skill no longer lists ${found.agent}${edited}`
      const hint = `loadout unequip ${name} --target ${found.agent}${where}`
      return { severity: 'warning', code: 'UNSUPPORTED_TARGET', message, subject: name, hint }
    }
    case 'outdated': {
      const message = `${place} is older than the library`
      return {
        severity: 'warning',
        code: 'OUTDATED_INSTALL',
        message,
        subject: name,
        hint: 'loadout sync refreshes it',
      }
    }
    default: {
      const message = `${place} is installed, but the library no longer has it${edited}`
      const hint = `loadout unequip ${name}${where} removes it; loadout import ${shellWord(place)} brings it back`
      return { severity: 'warning', code: 'ORPHANED_INSTALL', message, subject: name, hint }
    }
  }
}

/** An edited copy that a profile does not name. */
export function keptEdit(name: string, found: PlacementStatus): Finding {
  const message = `${placeOf(found)} was edited by hand; it stays, although the profile does not name it`
  const hint = `loadout unequip ${name} --target ${found.agent}${scopeFlag(found)} removes it, and keeps a copy`
  return { severity: 'warning', code: 'EDITED_INSTALL', message, subject: name, hint }
}
