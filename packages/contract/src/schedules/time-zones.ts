/**
 * Abbreviations that ICU accepts as time zones but the IANA database does not list. They are ambiguous: ICU reads BST
 * as Bangladesh, not as British Summer Time.
 */
const ambiguousPattern =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

/**
 * Reports whether a name, in any case, is in the IANA time zone database of the running Intl, including aliases such as
 * Asia/Calcutta. False for offsets such as +05:30, for abbreviations such as BST, and for Etc/Unknown, which browsers
 * report for an unknown zone.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || ambiguousPattern.test(name) || /^Etc\/Unknown$/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== 'Etc/Unknown'
  } catch {
    return false
  }
}
