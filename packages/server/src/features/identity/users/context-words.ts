/** Words that are tried first at any wallet of this name. docs/security.md lists them. */
const productWords = ['tern', 'wallet', 'money', 'bank', 'transfer', 'payment', 'operator', 'support', 'admin']

/** Letters besides forbidden words with which a password is no longer made of them. */
const minOtherLetters = 5
const shortestName = 4

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}

const spellOut = (text: string): string => text.replaceAll(/[0134567@$]/g, (sign) => lookalikes[sign] ?? sign)

const listWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= shortestName)

interface PasswordContext {
  readonly email: string
  readonly username: string
  readonly operatorName?: string | undefined
}

/** Returns whether removing the words of the product, its operator and the account leaves almost no letters. */
export function isMadeOfContextWords(plain: string, { email, username, operatorName = '' }: PasswordContext): boolean {
  const words = [...productWords, ...[email, username, operatorName].flatMap(listWords)].toSorted(
    (a, b) => b.length - a.length,
  )
  return [plain, spellOut(plain)].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ' '), text)
    return rest !== text && rest.replaceAll(/[^\p{L}]/gu, '').length < minOtherLetters
  })
}
