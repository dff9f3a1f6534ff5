// Chinese names as in passports of Taiwan: Wade-Giles without its marks, converted from Hanyu Pinyin.

const initialRules: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/^(?:zh|q|j)/, 'ch'],
  [/^x/, 'hs'],
  [/^r/, 'j'],
  [/^[zc](?!h)/, 'ts'],
  [/^b/, 'p'],
  [/^d/, 't'],
  [/^g/, 'k'],
]

const finalRules: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/^[zc]i$/, 'tzu'],
  [/^si$/, 'szu'],
  [/^((?:zh|ch|sh|r))i$/, '$1ih'],
  [/^r?er$/, 'erh'],
  [/^yan$/, 'yen'],
  [/^you$/, 'yu'],
  [/ian$/, 'ien'],
  [/^([gkh])e$/, '$1o'],
  [/^([gk])ui$/, '$1uei'],
  [/ong$/, 'ung'],
  [/([iy]|ü|u)e$/, '$1eh'],
  [/(?<!^[gkh]|^sh)uo$/, 'o'],
]

export function wadeGiles(syllable: string): string {
  const finalRule = finalRules.find(([pattern]) => pattern.test(syllable))
  const syllableWithFinal = finalRule ? syllable.replace(finalRule[0], finalRule[1]) : syllable
  const initialRule = initialRules.find(([pattern]) => pattern.test(syllableWithFinal))
  return initialRule ? syllableWithFinal.replace(initialRule[0], initialRule[1]) : syllableWithFinal
}
