/** The words of a sentence that become a link to the support contact. */
export const contactSupport = 'contact support'
