/** `Name (pid)`, or the id alone where the name is not known. Not yet harmless to a terminal: see `plainText`. */
export function projectLabel(pid: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(pid)
  return name ? `${name} (${pid})` : pid
}

/** `Name (pid): `, to begin a line with; nothing for what belongs to no project. */
export function projectPrefix(pid: string | null, names: ReadonlyMap<string, string>): string {
  return pid === null ? '' : `${projectLabel(pid, names)}: `
}
