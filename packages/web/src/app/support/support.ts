/**
 * The operator's support contact, a mailto: or https: address; undefined if none is configured. The server writes it
 * into the root element of each page.
 */
export const supportContact = () => globalThis.document?.documentElement.dataset.support

/** Sentence that refers to support, and its wording without a support contact. */
interface SupportSentence {
  readonly withContact: string
  readonly without: string
}

/** Picks the wording of a sentence that refers to support. */
export const supportSentence = ({ withContact, without }: SupportSentence) => (supportContact() ? withContact : without)
