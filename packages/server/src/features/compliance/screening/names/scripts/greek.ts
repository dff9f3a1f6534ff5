import { readTable } from './letter-table.ts'

// ELOT 743, the transcription of Greek passports.
const letters = readTable(`
  α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o
`)
const digraphs: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/ου/g, 'ou'],
  [/γγ/g, 'ng'],
  [/γξ/g, 'nx'],
  [/γχ/g, 'nch'],
  [/^μπ/g, 'b'],
  [/(?<=[αε])υ(?=[θκξπσςτφχψ]|$)/g, 'f'],
  [/(?<=[αεη])υ/g, 'v'],
]

export function greekWord(word: string): string {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const replacedText = digraphs.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), plain)
  return Array.from(replacedText, (letter) => letters[letter] ?? letter).join('')
}
