/** A folder of this machine, and what stands for it wherever the bundle is read. */
export type Place = readonly [folder: string, mark: string]

/** Takes the folders of a machine out of a text: where a project or a home lies must not change a byte of a bundle. */
export function withoutPlaces(text: string, places: readonly Place[]): string {
  return places.reduce((left, [folder, mark]) => {
    // Every path begins with the root of the file system; it tells nothing about this machine.
    if (folder === '/' || folder === '' || !left.includes(folder)) return left
    return left.replace(wholeName(folder), () => mark)
  }, text)
}

/** Not where another name only begins or ends like this one. */
function wholeName(folder: string): RegExp {
  const literal = folder.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(String.raw`(?<![\p{L}\p{N}_.\-])${literal}(?![\p{L}\p{N}_\-]|\.[\p{L}\p{N}])`, 'gu')
}
