/** Receives the files of documents. Paths are relative, with `/` between folders. */
export interface FileSink {
  /** Adds a file. Resolves once there is room for another one, which may be before it is written. */
  add(path: string, text: string): Promise<void>
  /** Adds a file that is written in pieces. */
  stream(path: string): Promise<FileStream>
}

/** A file that is written in pieces. */
export interface FileStream {
  write(text: string): Promise<void>
  /** Must be called once. */
  end(): Promise<void>
}
