import { render } from 'preact'
import { forgetToken } from './address.ts'
import { follow } from './live.ts'
import { Shell } from './shell.tsx'

mendLanguage()
forgetToken()
follow()
const place = document.getElementById('page')
if (place !== null) render(<Shell />, place)

/** A browser in the locale `C` names a language that is none (`en-US@posix`), at which the chart breaks as it loads. */
function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US' })
  }
}
