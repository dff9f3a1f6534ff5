import sax from 'sax'
import { ListFileError } from './entry.ts'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

interface OpenElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

/**
 * Parses an XML text and passes each complete element named in `names` to `onElement`, without keeping it. Returns the
 * root. Throws ListFileError for text that is not well-formed, such as a truncated file, and for a DOCTYPE, so that no
 * entity is expanded.
 */
export function readXml(
  text: string,
  names: ReadonlySet<string>,
  onElement: (element: XmlElement) => void,
): Pick<XmlElement, 'name' | 'attributes'> {
  const parser = sax.parser(true, { xmlns: true, position: false })
  const open: OpenElement[] = []
  let root: OpenElement | undefined
  const fail = (reason: string): never => {
    throw new ListFileError(reason)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- sax has none
  parser.onerror = (error) => fail(`it is damaged or cut off (${error.message.split('\n')[0] ?? ''})`)
  parser.ondoctype = () => fail('it has a DOCTYPE')
  parser.onopentag = (tag) => {
    const { local, attributes } = tag as sax.QualifiedTag
    const values = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]))
    open.push({ name: local, attributes: values, children: [], text: '' })
    root ??= open[0]
  }
  const onText = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- sax has none
  parser.ontext = onText
  parser.oncdata = onText
  parser.onclosetag = () => {
    const element = open.pop()
    if (!element) return
    const trimmedElement = { ...element, text: element.text.trim() }
    if (names.has(element.name)) onElement(trimmedElement)
    else if (open.some(({ name }) => names.has(name))) open.at(-1)?.children.push(trimmedElement)
  }
  parser.write(text).close()
  return root ?? fail('it is empty')
}

/** Returns the text of the first child of that name, or an empty text. */
export const childText = (element: XmlElement, name: string): string =>
  element.children.find((child) => child.name === name)?.text ?? ''

/** Returns all elements at a path of child names. */
export function findElements(element: XmlElement, ...path: readonly string[]): XmlElement[] {
  return path.reduce<XmlElement[]>(
    (elements, name) => elements.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [element],
  )
}
