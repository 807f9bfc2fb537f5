import { fixed, joined, listed, type Message, say } from '@survey-export/core';
import type { INodeProperties } from 'n8n-workflow';
import { wordsOf } from './failure.ts';
import { settingError } from './values.ts';

type Get = (name: string, otherwise: unknown, extractsValue: boolean) => unknown;

/** The parameters of a node, with the names that its form shows. */
export class Parameters {
	readonly #form: readonly INodeProperties[];
	readonly #get: Get;

	/** `get`: what n8n gives for a parameter, or `otherwise` if it is not set. `extractsValue`: what a locator holds. */
	constructor(form: readonly INodeProperties[], get: Get) {
		this.#form = form;
		this.#get = get;
	}

	/**
	 * A parameter, such as `limit`, or `filters.collectedAfter` of a collection. `extractsValue`: the form must show it.
	 * @throws `invalid_configuration` for an expression that cannot be evaluated, with n8n's words. In a collection, its
	 * field is named
	 */
	get<Value>(name: string, otherwise: Value, extractsValue = false): Value {
		try {
			return this.#get(name, otherwise, extractsValue) as Value;
		} catch (thrown) {
			for (const field of fieldsIn(this.#field(name))) this.get(`${name}.${field.name}`, otherwise);
			const { facts, advice } = wordsOf(thrown as Error);
			const said = joined([say`n8n says "${facts}".`, advice]);
			throw settingError(say`The expression in ${this.label(name)} cannot be evaluated`, said);
		}
	}

	/** A parameter that has one of `choices`. @throws `invalid_configuration` for another value */
	choice<Choice extends string>(name: string, otherwise: Choice, choices: readonly Choice[]): Choice {
		const value = this.get(name, otherwise);
		if (choices.includes(value)) return value;
		const facts = say`${this.label(name)} is not one of these: ${listed(choices.map(fixed))}`;
		throw settingError(facts, say`Choose one of them.`);
	}

	/** A parameter as the form names it, in quotes. */
	label(name: string): Message {
		return say`"${fixed(this.#field(name)?.displayName ?? name)}"`;
	}

	#field(name: string): INodeProperties | undefined {
		const [first, second] = name.split('.');
		const field = this.#form.find((each) => each.name === first);
		return second === undefined ? field : fieldsIn(field).find((each) => each.name === second);
	}
}

const fieldsIn = (field: INodeProperties | undefined): readonly INodeProperties[] =>
	field?.type === 'collection' ? (field.options as INodeProperties[]) : [];
