import type { Loadout } from '../loadout.ts'
import { colourDepth, paintLine } from './frame/paint.ts'
import { initialModel, type Model, shortPath } from './model.ts'
import { scopeCue } from './screens/inventory.ts'
import { screenSize, type TakenScreen, takeScreen } from './terminal.ts'
import { view } from './view.ts'

/**
 * Shows the last known inventory before anything heavy is loaded or read. The interface continues with this model and
 * this screen.
 */
export async function paintFirst(
  loadout: Loadout,
  { isUser }: { isUser: boolean },
): Promise<{ model: Model; screen: TakenScreen }> {
  const { home, project } = await loadout.agents.detectProject({})
  const scope = project === undefined || isUser ? 'user' : 'project'
  const inventory = await loadout.skills.recallInventory({ project: scope === 'project' ? project : undefined })
  const empty = initialModel(screenSize(), { home, project, scope })
  const model: Model = {
    ...empty,
    notice: project === undefined ? undefined : scopeCue(scope, shortPath(empty, project)),
    inventory: { ...empty.inventory, value: inventory, isStale: inventory !== undefined },
  }
  const screen = takeScreen()
  const depth = colourDepth(process.env)
  screen.paint(view(model).map((line) => paintLine(line, depth)))
  return { model, screen }
}
