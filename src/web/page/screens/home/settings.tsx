/** The settings of this machine that the page can change. */
export function SettingsView() {
  return <p class="card muted">Settings</p>
}
