/** Values that a process keeps, so that a server need not read them again: those that were used last. */
export class Kept<T> {
  private readonly values = new Map<string, T>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  get(name: string): T | undefined {
    const value = this.values.get(name)
    if (value === undefined) return undefined
    // The order of a map is that of its insertions.
    this.values.delete(name)
    this.values.set(name, value)
    return value
  }

  set(name: string, value: T): void {
    this.values.delete(name)
    this.values.set(name, value)
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.most) return
      this.values.delete(oldest)
    }
  }

  delete(name: string): void {
    this.values.delete(name)
  }
}
