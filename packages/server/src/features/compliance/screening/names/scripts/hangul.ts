// Korean names in Latin letters. Romanisation differs between North, South and individual families, so a name has
// several forms.

const firstSyllable = 0xac00
const vowelsPerInitial = 21
const codesPerVowel = 28

const initials: readonly string[] = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ')
const vowels: readonly string[] = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const finalConsonants: readonly string[] = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')

const toLatin = (parts: readonly string[], at: number): string => (parts[at] ?? '').replace('-', '')

/** Differences between romanisation systems. */
interface RomanizationStyle {
  readonly initials: Readonly<Record<string, string>>
  /** Whether eo and eu are written o and u, as in McCune-Reischauer without its marks. */
  readonly hasPlainVowels: boolean
}
const voicedConsonants = {}
const mixedConsonants = { g: 'k' }
const voicelessConsonants = { g: 'k', d: 't', b: 'p' }
const aspiratedConsonants = { g: 'k', d: 't', b: 'p', j: 'ch' }

const styles: readonly RomanizationStyle[] = [
  { initials: mixedConsonants, hasPlainVowels: true },
  { initials: voicedConsonants, hasPlainVowels: false },
  { initials: voicelessConsonants, hasPlainVowels: true },
  { initials: mixedConsonants, hasPlainVowels: false },
  { initials: voicedConsonants, hasPlainVowels: true },
  { initials: aspiratedConsonants, hasPlainVowels: true },
]

function plainVowel(vowel: string, initial: string): string {
  if (vowel === 'u' && initial === '') return 'woo'
  if (vowel === 'ui' && initial !== '') return 'ee'
  return vowel.replace('eo', 'o').replace('eu', 'u')
}

function spellSyllable(style: RomanizationStyle, syllable: string): string {
  const place = (syllable.codePointAt(0) ?? 0) - firstSyllable
  const initial = toLatin(initials, Math.trunc(place / (vowelsPerInitial * codesPerVowel))) // not money: a place in Unicode
  const vowel = toLatin(vowels, Math.trunc(place / codesPerVowel) % vowelsPerInitial) // not money: a place in Unicode
  return [
    style.initials[initial] ?? initial,
    style.hasPlainVowels ? plainVowel(vowel, initial) : vowel,
    toLatin(finalConsonants, place % codesPerVowel),
  ].join('')
}

/** Common romanisations of family names, most frequent first. */
const families: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  `김 kim gim|금 kim keum|이 lee yi ri|리 lee ri yi|박 park pak bak|최 choi choe|정 jung chung jong jeong chong|강 kang|조 cho jo
   윤 yoon yun|장 jang chang|임 lim im rim|림 lim im rim|한 han|오 oh o|서 seo suh so|신 shin sin|권 kwon|황 hwang|안 ahn an|송 song
   류 ryu yoo yu|유 yoo yu ryu|전 jeon jun chun chon|고 ko koh go|문 moon mun|양 yang|량 yang ryang|손 son sohn|배 bae pae
   백 baek paek paik|허 heo hur huh ho|남 nam|심 shim sim|노 noh roh no ro|로 roh noh ro no|하 ha|곽 kwak|성 sung seong song
   차 cha|거 cha|주 joo ju chu|우 woo u|구 koo ku gu|나 na ra|라 na ra|진 jin chin|지 ji chi|엄 eom um|원 won|천 cheon chun chon
   방 bang pang|공 kong gong|현 hyun hyon|변 byun byeon pyon|여 yeo yuh yo|려 yeo ryo|추 choo chu|도 do to|소 so|석 seok suk sok
   선 sun seon son|설 seol sul sol|마 ma|길 gil kil|연 yeon yon|위 wi|표 pyo|명 myung myong|기 ki gi|반 ban pan|왕 wang|옥 ok
   육 yook yuk|인 in|맹 maeng|제 je che|모 mo|탁 tak|국 kook kuk|은 eun un|용 yong|봉 bong pong|태 tae|계 kye gye|홍 hong
   남궁 namgung namkung|황보 hwangbo|제갈 jegal|선우 sunwoo seonu|독고 dokko|사공 sagong|서문 seomun`
    .split(/[|\n]/)
    .map((line) => line.trim().split(' '))
    .map(([family = '', ...forms]) => [family, forms]),
)

const maxForms = 18

interface KoreanName {
  readonly family: string
  readonly given: string
}

/**
 * Divides a name into family and given name. The family name has one syllable, rarely two, and normally comes first;
 * some forms ask for the given name first.
 */
function divideName(words: readonly string[]): KoreanName | undefined {
  const [first = '', second = ''] = words
  if (words.length === 1) {
    const length = first.length > 3 && families[first.slice(0, 2)] ? 2 : 1
    const family = first.slice(0, length)
    return first.length > length && families[family] ? { family, given: first.slice(length) } : undefined
  }
  if (words.length !== 2) return undefined
  if (families[first] && first.length <= second.length) return { family: first, given: second }
  if (families[second]) return { family: second, given: first }
  return families[first] ? { family: first, given: second } : undefined
}

const spellSyllables = (style: RomanizationStyle, text: string): string =>
  Array.from(text, (syllable) => spellSyllable(style, syllable)).join(' ')

/** Returns common romanisations of a Korean name in Hangul: the family name, then each syllable of the given name. */
export function koreanForms(words: readonly string[]): string[] {
  const name = divideName(words)
  if (!name) return [...new Set(styles.map((style) => spellSyllables(style, words.join(''))))]
  const givenForms = styles.map((style) => spellSyllables(style, name.given))
  const forms = (families[name.family] ?? []).flatMap((family) => givenForms.map((text) => `${family} ${text}`))
  return [...new Set(forms)].slice(0, maxForms)
}
