import { Box, Text } from 'ink'
import { useSyncExternalStore } from 'react'
import { type ColourDepth, paintLine } from './frame/paint.ts'
import type { Store } from './store.ts'
import { view } from './view.ts'

/** The screen that the model describes. */
export function App({ store, depth }: { store: Store; depth: ColourDepth }) {
  const model = useSyncExternalStore(store.subscribe, store.read)
  return (
    <Box flexDirection="column" width={model.size.columns} height={model.size.rows}>
      {view(model).map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Text key={row} wrap="truncate">
          {paintLine(line, depth)}
        </Text>
      ))}
    </Box>
  )
}
