/** A certificate or a key, as files have it. @param {string} kind @param {string} text in Base64 */
export const pem = (kind, text) =>
  `-----BEGIN ${kind}-----\n${text.replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----\n`;
