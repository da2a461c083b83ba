/** Something in the record that the design does not allow. */
export class Objection extends Error {
  constructor(rule, text) {
    super(text);
    this.rule = rule;
  }
}
