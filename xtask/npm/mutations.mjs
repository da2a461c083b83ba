// The changes that a mistake could have made of a module, as those of Stryker: `changesOf(code)`.

import { parse } from 'acorn';

export const tree = (code) => parse(code, { ecmaVersion: 'latest', sourceType: 'module' });

/** Operators and methods, and what each becomes. */
const OTHERS = new Map(
  (
    '< <= >=, <= < >, > >= <=, >= > <, === !==, !== ===, == !=, != ==, + -, - +, * /, / *, % *, && ||, || &&, ?? &&, ' +
    '+= -=, -= +=, *= /=, /= *=, ??= &&=, ||= &&=, &&= ||=, min max, max min, some every, every some, ' +
    'startsWith endsWith, endsWith startsWith, toLowerCase toUpperCase, toUpperCase toLowerCase'
  )
    .split(', ')
    .map((row) => row.split(' '))
    .map(([name, ...others]) => [name, others]),
);
const UNARY = { '!': '', '-': '+', '+': '-' };

/**
 * The place, the text to put there, and a name for the kind of change.
 * @typedef {{ start: number, end: number, text: string, kind: string }} Change
 * @param {string} code
 */
export function changesOf(code) {
  const changes = [];
  const change = (kind, { start, end }, text) => changes.push({ kind, start, end, text });
  const textOf = ({ start, end }) => code.slice(start, end);
  const isText = (node) => node.type === 'TemplateLiteral' || typeof node.value === 'string';

  const operator = (node) => {
    if (node.operator === '+' && (isText(node.left) || isText(node.right))) return;
    const between = { start: node.left.end, end: node.right.start };
    for (const other of OTHERS.get(node.operator) ?? [])
      change('operator', between, textOf(between).replace(node.operator, other));
  };
  const condition = ({ test }) => {
    for (const value of ['true', 'false']) change('condition', test, value);
  };

  const kinds = {
    BinaryExpression: operator,
    LogicalExpression: operator,
    AssignmentExpression: operator,
    IfStatement: condition,
    ConditionalExpression: condition,
    WhileStatement: ({ test }) => change('condition', test, 'false'),
    ForStatement: ({ test }) => test && change('condition', test, 'false'),
    UnaryExpression(node) {
      if (Object.hasOwn(UNARY, node.operator)) change('unary', node, UNARY[node.operator] + textOf(node.argument));
    },
    UpdateExpression(node) {
      change('update', node, textOf(node).replace(node.operator, node.operator === '++' ? '--' : '++'));
    },
    Literal(node, parent, key) {
      if (typeof node.value === 'boolean') change('boolean', node, String(!node.value));
      const named = key === 'source' || parent.directive || (key === 'key' && !parent.computed);
      if (typeof node.value === 'string' && !named) change('string', node, node.value === '' ? "'mutant'" : "''");
    },
    TemplateLiteral(node, parent) {
      if (parent.type !== 'TaggedTemplateExpression') change('string', node, '``');
    },
    BlockStatement(node) {
      if (node.body.length > 0 && !textOf(node).includes('super(')) change('block', node, '{}');
    },
    SwitchCase({ consequent: body }) {
      if (body.length > 0) change('case', { start: body[0].start, end: body.at(-1).end }, '');
    },
    ReturnStatement: (node) => node.argument && change('return', node, 'return;'),
    ArrowFunctionExpression: ({ body, expression }) => expression && change('return', body, 'undefined'),
    ArrayExpression: (node) => node.elements.length > 0 && change('array', node, '[]'),
    ObjectExpression: (node) => node.properties.length > 0 && change('object', node, '{}'),
    MemberExpression({ object, property, computed, optional }) {
      if (!computed) for (const other of OTHERS.get(property.name) ?? []) change('method', property, other);
      if (optional) change('chain', { start: object.end, end: property.start }, computed ? '[' : '.');
    },
    CallExpression(node) {
      const callee = textOf(node.callee);
      if (node.optional)
        change(
          'chain',
          node,
          textOf(node).replace(`${callee}?.`, () => callee),
        );
    },
  };
  (function walk(node, parent, key) {
    kinds[node.type]?.(node, parent, key);
    for (const [name, child] of Object.entries(node))
      for (const each of [child].flat()) if (typeof each?.type === 'string') walk(each, node, name);
  })(tree(code), {}, '');
  return changes;
}
