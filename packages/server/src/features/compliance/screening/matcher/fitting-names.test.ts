import { describe, expect, test } from 'vitest'
import type { EntryKind } from '../lists/entry.ts'
import { toListedName } from '../names/listed-name.ts'
import { isUnread, lacksJapaneseReading } from '../names/readings.ts'
import { holdFrom, reviewFrom } from '../names/score.ts'
import { findFittingNames, type OwnNames } from './fitting-names.ts'
import { collectNames } from './name-index.ts'

/** Returns the score of a name on a list of one entry, where every word is rare; 0 if it is not found. */
function scoreName(givenNames: OwnNames, entryName: string, kind: EntryKind = 'person'): number {
  const names = collectNames()
  names.add(1n, toListedName(entryName, kind), kind)
  return findFittingNames(names.build(), givenNames).get(1n) ?? 0
}

const buildPerson = (...names: string[]): OwnNames => ({ names, kind: 'person' })
/** Returns the names of a guest or a bank account holder. */
const buildParty = (...names: string[]): OwnNames => ({ names })

describe('a family name that is also a company form or a title', () => {
  test.each([
    ['Yu Liang', 'PAO, Yu Liang'],
    ['Yu Liang', 'CO, Yu Liang'],
    ['Min Soe', 'SPA, Min Soe'],
    ['Thanh Long', 'AO, Thanh Long'],
    ['Jan Willem', 'BV, Jan Willem'],
    ['Mya Nyo', 'NYO, Mya Ltd'],
    ['Tom Smith', 'MAJOR, Tom Smith'],
    ['Major Tom Smith', 'SMITH, Tom'],
    ['Hasan Ahmed', 'SHEIKH, Hasan Ahmed'],
    ['Mohamed Haji Ali', 'ALI, Mohamed'],
    ['Wang Xiao', 'WANG, Xiao Bin'],
    ['Wang Xiao Bin', 'WANG, Xiao'],
    ['Zarif Qadri Wardak', 'AHMED, Zarif Qadri Wardak'],
    ['Mikko Juhani', 'OY, Mikko Juhani'],
    ['Erik Johan', 'AB, Erik Johan'],
    ['Hans Peter', 'AG, Hans Peter'],
    ['Kwok Wai', 'KG, Kwok Wai'],
    ['Jens Lars', 'AS, Jens Lars'],
    ['Mario Luca', 'SRL, Mario Luca'],
    ['Wei Ming', 'INC, Wei Ming'],
    ['Kim Soo', 'LLC, Kim Soo'],
    ['Jan Piet', 'NV, Jan Piet'],
    ['Ivan Petr', 'AD, Ivan Petr'],
    ['Ali Reza', 'SHERKAT, Ali Reza'],
    ['Van Minh', 'CTY, Van Minh'],
    ['Joao Carlos', 'SA, Joao Carlos'],
  ])('%s does not hold for %s, which lacks a word of it', (givenName, listedName) => {
    expect(scoreName(buildPerson(givenName), listedName)).toBeLessThan(holdFrom)
    expect(scoreName(buildParty(givenName), listedName)).toBeLessThan(holdFrom)
  })

  test.each([
    ['Ben Carson', 'CARSON'],
    ['Ed Davis', 'DAVID'],
    ['An Nguyen', 'NGUYEN'],
    ['Al Gore', 'GORE'],
    ['Bin Li', 'LI'],
    ['Li Bin', 'LI'],
    ['Ahmad Haji', 'AHMAD'],
    ['De Silva', 'SILVA'],
    ['Maria Sá', 'MARA'],
    ['Mara Sá', 'MARA'],
    ['Kg Lim', 'LIM'],
    ['Inc Plc', 'PLC'],
    ['Anders Oy', 'ANDERS'],
    ['Lena Kg', 'LENA'],
    ['Sa Ag', 'SAAG'],
    ['Aung Pte', 'AUNG'],
    ['Thomas Limited', 'THOMAS'],
  ])('%s is not found as %s: both words are the name', (givenName, listedName) => {
    expect(scoreName(buildPerson(givenName), listedName)).toBe(0)
  })

  test.each([
    ['Yu Liang Pao', 'PAO, Yu Liang'],
    ['Liang Yu Pao', 'PAO, Yu Liang'],
    ['Maria Sá', 'SA, Maria'],
    ['Usama bin Laden', 'BIN LADIN, Usama'],
    ['Oussama ben Laden', 'BIN LADIN, Usama'],
    ['Usama bin Ladin', 'LADIN, Usama bin'],
    ['Dr. Ramadan Abdullah', 'ABDULLAH, Ramadan'],
    ['Ramadan Abdullah', 'ABDULLAH, Dr. Ramadan'],
    ['Abbud Zumar', 'ZUMAR, Colonel Abbud'],
    ['Ayman al-Zawahiri', 'AL-ZAWAHIRI, Ayman'],
    ['Zawahiri Ayman', 'AL ZAWAHIRI, Ayman'],
    ['Abdul Rahman Saleh', 'SALEH, Abd al-Rahman'],
    ['Musa Abu Marzuq', 'ABU MARZUQ, Musa'],
    ['Mikko Oy', 'OY, Mikko'],
    ['Jonas Ås', 'AS, Jonas'],
    ['Chen Inc', 'INC, Chen'],
    ['Ibrahim Ag Mohamed', 'AG MOHAMED, Ibrahim'],
    ['Sheikh Hasina', 'HASINA, Sheikh'],
  ])('%s still holds for %s', (givenName, listedName) => {
    expect(scoreName(buildPerson(givenName), listedName)).toBeGreaterThanOrEqual(holdFrom)
  })
})

describe('a person without a first or last name', () => {
  test.each([
    ['FNU Suharto', 'SUHARTO'],
    ['Suharto LNU', 'SUHARTO'],
    ['XXX Suharto', 'SUHARTO'],
    ['Nfn Suharto', 'SUHARTO'],
    ['Unknown Suharto', 'SUHARTO'],
    ['Mr Suharto', 'SUHARTO'],
    ['Suharto', 'SUHARTO, FNU'],
    ['Suharto', 'LNU, Suharto'],
    ['FNU Suharto', 'SUHARTO LNU'],
    ['Suharto', 'SUHARTO, Mr'],
  ])('%s is found as %s', (givenName, listedName) => {
    expect(scoreName(buildPerson(givenName), listedName)).toBe(10_000)
  })

  test.each([
    ['FNU LNU', 'SUHARTO'],
    ['FNU Suharto', 'FNU, Karim'],
    ['Xxx Khan', 'XXX, Nguyen'],
    ['Miss Universe', 'UNIVERSE'],
    ['Drew Mister', 'DREW'],
  ])('%s is not found as %s', (givenName, listedName) => {
    expect(scoreName(buildPerson(givenName), listedName)).toBe(0)
  })
})

test('a hold needs the listed family name, however frequent it is', () => {
  const names = collectNames()
  const add = (id: bigint, name: string) => names.add(id, toListedName(name, 'person'), 'person')
  for (let at = 10n; at < 210n; at += 1n) add(at, `AHMED, Other${at}`)
  add(1n, 'AHMED, Zarif Qadri Wardak')
  add(2n, 'Zarif Qadri Mirwais AHMED')
  const index = names.build()
  const scoreOn = (name: string, id: bigint) => findFittingNames(index, buildPerson(name)).get(id)
  expect(scoreOn('Zarif Qadri Wardak', 1n)).toBe(holdFrom - 1)
  expect(scoreOn('Zarif Qadri Wardak Ahmed', 1n)).toBe(10_000)
  expect(scoreOn('Zarif Qadri Mirwais', 2n)).toBe(holdFrom - 1)
})

describe('people, companies and ships', () => {
  test.each(['vessel', 'aircraft'] as const)('a person is never compared with a %s', (kind) => {
    for (const name of ['Mara', 'Maria Sá', 'Mara Sá']) expect(scoreName(buildPerson(name), 'MARA', kind)).toBe(0)
    expect(scoreName(buildParty('Maria Sá'), 'MARA', kind)).toBeLessThan(holdFrom)
    expect(scoreName(buildParty('Mara'), 'MARA', kind)).toBe(holdFrom - 1)
  })

  test('a listed company holds money of a company, and is only a possible match for a person', () => {
    expect(scoreName(buildPerson('Anselm Karve'), 'ANSELM KARVE', 'entity')).toBe(holdFrom - 1)
    expect(scoreName(buildParty('Anselm Karve'), 'ANSELM KARVE', 'entity')).toBe(10_000)
    expect(scoreName(buildParty('Oddensen Shipping Co Ltd'), 'ODDENSEN SHIPPING CO., LTD.', 'entity')).toBe(10_000)
    expect(scoreName(buildParty('Oddensen Shipping Limited'), 'ODDENSEN SHIPPING CO., LTD.', 'entity')).toBe(10_000)
  })

  test.each([
    ['Yu Liang Pao', 'YU LIANG CO., LTD.'],
    ['Maria Sá', 'MARIA LTD'],
    ['Mara Sá', 'MARA'],
  ])('%s may be a person, so that %s does not hold their money', (givenName, listedName) => {
    expect(scoreName(buildParty(givenName), listedName, 'entity')).toBeLessThan(holdFrom)
  })
})

// Names in other scripts, and the same names as lists write them in Latin letters.
test.each([
  ['محمد علي', 'Mohamed Ali'],
  ['أحمد حسن', 'Ahmed Hassan'],
  ['عبد الله', 'Abdullah'],
  ['خالد محمود', 'Khaled Mahmoud'],
  ['Владимир Путин', 'Vladimir Putin'],
  ['Иван Иванов', 'Ivan Ivanov'],
  ['Александр Петров', 'Alexander Petrov'],
  ['Дмитрий Медведев', 'Dmitry Medvedev'],
  ['金正恩', 'Kim Jong Un'],
  ['李明', 'Li Ming'],
  ['习近平', 'Xi Jinping'],
  ['王伟', 'Wang Wei'],
  ['김정은', 'Kim Jong Un'],
  ['박지성', 'Park Ji Sung'],
  ['이민호', 'Lee Min Ho'],
  ['山田太郎', 'Yamada Taro'],
  ['田中花子', 'Tanaka Hanako'],
  ['Αλέξανδρος', 'Alexander'],
  ['Νικόλαος', 'Nikolaos'],
  ['משה', 'Moshe'],
  ['דוד', 'David'],
  ['สมชาย', 'Somchai'],

  ['정은 김', 'KIM Jong-un'],
  ['文在寅', 'MOON Jae-in'],
  ['朴槿惠', 'PARK Geun-hye'],
  ['이 명박', 'LEE Myung-bak'],
  ['반기문', 'BAN Ki-moon'],
  ['노무현', 'ROH Moo-hyun'],
  ['리용호', 'RI Yong Ho'],
  ['최룡해', 'CHOE Ryong Hae'],
  ['남궁민수', 'NAMGUNG, Min Soo'],
  ['太郎 山田', 'YAMADA, Taro'],
  ['山田 たろう', 'YAMADA, Taro'],
  ['たろう やまだ', 'YAMADA, Taro'],
  ['ﾔﾏﾀﾞ ﾀﾛｳ', 'YAMADA, Taro'],
  ['きょうこ まつもと', 'MATSUMOTO, Kyoko'],
  ['ヤッタ・シュンペイ', 'YATTA, Shumpei'],
  ['渡邊 恵子', 'WATANABE Keiko'],
  ['石破茂', 'ISHIBA, Shigeru'],
  ['Νικόλαος Παπαδόπουλος', 'PAPADOPOULOS Nikolaos'],
  ['Ευάγγελος Οικονόμου', 'OIKONOMOU, Evangelos'],
  ['Χρήστος Μπακογιάννης', 'BAKOGIANNIS, Christos'],
  ['משה כהן', 'COHEN Moshe'],
  ['יוסף לוי', 'LEVI, Yosef'],
  ['שרה כהן', 'COHEN, Sarah'],
  ['בנימין נתניהו', 'NETANYAHU, Binyamin'],
  ['राहुल शर्मा', 'SHARMA Rahul'],
  ['दाऊद इब्राहिम', 'IBRAHIM, Dawood'],
  ['অমিত শর্মা', 'SHARMA, Amit'],
  ['ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ', 'SINGH, Gurpreet'],
  ['రాజేష్ రెడ్డి', 'REDDY, Rajesh'],
  ['முத்துவேல் கருணாநிதி', 'KARUNANIDHI, Muthuvel'],
  ['สมชาย วงศ์สวัสดิ์', 'WONGSAWAT, Somchai'],
  ['ทักษิณ ชินวัตร', 'SHINAWATRA, Thaksin'],
  ['გიორგი ივანიშვილი', 'IVANISHVILI, Giorgi'],
  ['Սերժ Սարգսյան', 'SARGSYAN, Serzh'],
  ['አበበ ቢቂላ', 'BIKILA, Abebe'],

  ['毛澤東', 'MAO, Tse-tung'],
  ['邓小平', "TENG, Hsiao-p'ing"],
  ['周恩来', 'CHOU, En-lai'],
  ['张学良', 'CHANG, Hsueh-liang'],
  ['蔡英文', 'TSAI, Ing-wen'],
  ['賴清德', 'LAI, Ching-te'],
  ['蔣經國', 'CHIANG, Ching-kuo'],
  ['謝長廷', 'HSIEH, Chang-ting'],
  ['李登輝', 'LEE, Teng-hui'],
  ['司馬 若水', 'SSUMA, Jo-shui'],
  ['二 志日', 'ERH, Chih-jih'],
  ['資 色自', 'TZU, Se-tzu'],
  ['李嘉誠', 'LI, Ka-shing'],
  ['黃之鋒', 'WONG, Chi-fung'],
  ['之鋒 黃', 'WONG Chi Fung'],
  ['鄭若驊', 'CHENG, Yeuk-wah'],
  ['曾國衞', 'TSANG, Kwok-wai'],
  ['鄧炳強', 'TANG, Ping-keung'],
  ['歐陽 安生', 'AU YEUNG, On Sang'],
  ['吕布', 'LYU, Bu'],
  ['欧阳娜娜', 'OUYANG, Nana'],

  ['이 순신', 'YI, Sun Sin'],
  ['김영철', 'KIM, Yong Chol'],
  ['최선희', 'CHOE, Son Hui'],
  ['전두환', 'CHUN, Doo Hwan'],
  ['여운형', 'LYUH, Woon Hyung'],
  ['大野 智', 'OHNO, Satoshi'],
  ['小泉純一郎', 'KOIZUMI, Junichiro'],
  ['髙木 康男', 'TAKAGI, Yasuo'],
  ['りょう さとう', 'SATOH, Ryo'],
  ['Κώστας Σημίτης', 'SIMITIS, Kostas'],
  ['Ευκλείδης Ξυδάκης', 'XYDAKIS, Efkleidis'],
  ['דוד בן גוריון', 'BEN-GURION, David'],
  ['מנחם בגין', 'BEGIN, Menachem'],
  ['ציפי לבני', 'LIVNI, Tzipi'],
  ['יאיר לפיד', 'LAPID, Yair'],
  ['דוד חי חסדאי', 'CHASDAI, David Chai'],
  ['חיים וייצמן', 'WEIZMANN, Chaim'],
  ['ज्ञानेन्द्र शाह', 'SHAH, Gyanendra'],
  ['ਜਗਤਾਰ ਸਿੰਘ', 'SINGH, Jagtar'],
  ['สมชาย ใจดี', 'CHAIDEE, Somchai'],
  ['მიხეილ სააკაშვილი', 'SAAKASHVILI, Mikheil'],
  ['Լևոն Տեր-Պետրոսյան', 'TER-PETROSYAN, Levon'],
  ['ملا محمد عمر', 'OMAR, Mullah Mohammed'],
  ['ﻣﺤﻤﺪ ﻋﻠﻲ', 'ALI, Muhammad'],
  ['Ђорђе Ђукић', 'DJUKIC, Djordje'],

  ['Md Rahman', 'RAHMAN, Mohammad'],
  ['Mohd. Karim', 'KARIM, Muhammad'],
  ['Muh. Yusuf', 'YUSUF, Mohamed'],
  ['Mohammed Yusuf', 'YUSUF, Md.'],
  ['ᴀʜᴍᴇᴅ sᴀʟᴇʜ', 'SALEH, Ahmed'],
  ['Ahmɑd Sɑleh', 'SALEH, Ahmed'],
  ['ⓐhmed Saleh', 'SALEH, Ahmed'],
  ['𝐀𝐡𝐦𝐞𝐝 Saleh', 'SALEH, Ahmed'],
  ['Ɓala Ɔkafor', 'OKAFOR, Bala'],
  ['ﬁona Smith', 'SMITH, Fiona'],
  ['Gal·la Placídia', 'PLACIDIA, Galla'],
  ['Ŀuis Puig', 'PUIG, Lluis'],
  ['Sean O´Brien', "O'BRIEN, Sean"],
  ['d′Artagnan Charles', "D'ARTAGNAN, Charles"],
  ['Jürgen Müller', 'MUELLER, Juergen'],
  ['Söğüt İlkay', 'SOGUT, Ilkay'],
])('%s is found as %s', (givenName, listedName) => {
  expect(scoreName(buildPerson(givenName), listedName)).toBeGreaterThanOrEqual(reviewFrom)
})

test.each(['Abdul Rahman', 'Abdur-Rahman', 'Abd ar Rahman', 'Abdulrahman', 'Abdurrahman'])(
  '%s is the same name as Abd al-Rahman',
  (name) => {
    expect(scoreName(buildPerson(`${name} Yusuf`), 'YUSUF, Abd al-Rahman')).toBe(10_000)
    expect(scoreName(buildPerson('Abd al-Rahman Yusuf'), `YUSUF, ${name}`)).toBe(10_000)
  },
)

test('the better match counts of a Latin name and one in its own script', () => {
  expect(scoreName(buildPerson('Tarou Yamata'), 'YAMADA, Taro')).toBeLessThan(10_000)
  expect(scoreName(buildPerson('Tarou Yamata', '山田 太郎'), 'YAMADA, Taro')).toBe(10_000)
  expect(scoreName(buildPerson('Taro Yamada', '佐藤 健'), 'YAMADA, Taro')).toBe(10_000)
})

test.each(['\u200b\u2060', '\u00ad', '🏦', '- ? -', '\u202e', 'မင်းအောင်လှိုင်', 'བསྟན་འཛིན'])(
  'a name of which nothing can be compared is unread: %j',
  (name) => {
    expect(isUnread(name)).toBe(true)
    expect(isUnread(`${name} Silva`)).toBe(/\p{L}/u.test(name))
  },
)

test('invisible characters within a name change nothing', () => {
  expect(scoreName(buildPerson('Yu\u200b Li\u2060ang P\u00adao'), 'PAO, Yu Liang')).toBe(10_000)
})

test('only a Japanese name missing from the dictionary is unread', () => {
  expect(lacksJapaneseReading('山田太郎')).toBe(false)
  expect(lacksJapaneseReading('鬱鬱')).toBe(true)
  expect(lacksJapaneseReading('Taro Yamada')).toBe(false)
})
