// Chinese names as in passports of Taiwan: Wade-Giles without its marks, derived from Hanyu Pinyin.

const initials: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/^(?:zh|q|j)/, 'ch'],
  [/^x/, 'hs'],
  [/^r/, 'j'],
  [/^[zc](?!h)/, 'ts'],
  [/^b/, 'p'],
  [/^d/, 't'],
  [/^g/, 'k'],
]

const finalPatterns: readonly (readonly [pattern: RegExp, by: string])[] = [
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
  const final = finalPatterns.find(([pattern]) => pattern.test(syllable))
  const syllableWithEnding = final ? syllable.replace(final[0], final[1]) : syllable
  const initial = initials.find(([pattern]) => pattern.test(syllableWithEnding))
  return initial ? syllableWithEnding.replace(initial[0], initial[1]) : syllableWithEnding
}
