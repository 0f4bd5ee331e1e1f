import { render } from 'preact'
import { forgetToken } from './address.ts'
import { follow } from './live.ts'
import { Shell } from './shell.tsx'

forgetToken()
follow()
const place = document.getElementById('page')
if (place !== null) render(<Shell />, place)
