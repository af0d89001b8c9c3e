declare module 'commonmark' {
  /** The reference implementation, of whose nodes `trees.ts` names what it reads. */
  export class Parser {
    parse(text: string): never
  }

  export class HtmlRenderer {
    render(node: never): string
  }
}
