import { render } from 'preact'
import { keepToken } from './address.ts'
import { keepFocus } from './keep-focus.ts'
import { follow } from './live.ts'
import { Shell } from './shell.tsx'

mendLanguage()
keepToken()
void follow()
const place = document.getElementById('page')
if (place !== null) {
  render(<Shell />, place)
  keepFocus(place)
}

/** In the locale `C` a browser reports an invalid language (`en-US@posix`), with which the chart fails to load. */
function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US' })
  }
}
